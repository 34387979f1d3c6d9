// Commerce
