-- What the broker of docker-compose.yml logs in as; the owner of the schema is the superuser of the image. Run when the volume is new.
CREATE ROLE sallyport_service NOLOGIN;
CREATE ROLE broker LOGIN PASSWORD 'development-only' IN ROLE sallyport_service;
