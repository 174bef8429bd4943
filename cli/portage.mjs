#!/usr/bin/env node
import { main } from './src/main.mjs';

const exitCode = await main(process.argv.slice(2), process.env);
// Output that could not be written has set one already.
process.exitCode ||= exitCode;
