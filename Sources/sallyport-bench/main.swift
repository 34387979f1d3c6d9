print("sallyport")
