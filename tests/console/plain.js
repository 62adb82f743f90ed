"Files that are not compressed are not served.";
