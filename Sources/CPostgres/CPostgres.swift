// CPostgres
