from .guard import main

main()
