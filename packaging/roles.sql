-- The database of a deployment and its two roles, made once as a superuser:
--     sudo -u postgres psql -f roles.sql
-- sallyport_owner owns the schema and is used by `sallyport migrate` alone; it logs in only where somebody gives it a password. It has no
-- attribute of a role: in PostgreSQL 15 one with CREATEROLE could make itself a member of the roles that run programs on the server.
-- sallyport is what the service and all other commands log in as, by the name of their user on this machine.

-- The first migration finds the role of the program here and grants it what it needs.
CREATE ROLE sallyport_service NOLOGIN;
CREATE ROLE sallyport_owner NOLOGIN;
CREATE ROLE sallyport LOGIN IN ROLE sallyport_service;
CREATE DATABASE sallyport OWNER sallyport_owner;
REVOKE ALL ON DATABASE sallyport FROM PUBLIC;
GRANT CONNECT ON DATABASE sallyport TO sallyport_service;
