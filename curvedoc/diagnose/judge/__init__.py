"""One run: its inputs, each rule judged, findings folded, causes ranked, the verdict."""
