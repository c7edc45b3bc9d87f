"""Tables of documents: pages, wikis, papers, spreadsheets, and the data of plots."""
