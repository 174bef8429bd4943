import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { loadEnvFile } from 'node:process';

/**
 * Loads settings from the file `.env` of the working directory, or the one that ENV_FILE names, before
 * anything reads them. Variables already in the environment win. A file that cannot be read ends the process
 * with one sentence: continuing without it could start a different installation.
 */
const named = process.env.ENV_FILE || undefined;
const path = resolve(named ?? '.env');
if (named !== undefined || existsSync(path)) {
  try {
    loadEnvFile(path);
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : 'there is no such file';
    process.stderr.write(`ENV_FILE cannot be used: ${path} cannot be read (${reason}).\n`);
    process.exit(1);
  }
}
