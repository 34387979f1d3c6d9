// The vendor's suite asks for uuid as it was before version 7; Debian has a later one.
'use strict';
const Module = require('module');
const { randomUUID } = require('crypto');
const load = Module._load;
Module._load = (name, ...rest) => (name === 'uuid/v4' ? randomUUID : load(name, ...rest));
