-- What is found out about a notification when its text is applied again: which purchase it is about.
GRANT UPDATE (transaction_id) ON app_store_notification TO sallyport_service;
