import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { ApiClient } from './api-client.mjs';
import { CliError, EXIT, messageOf } from './cli-error.mjs';
import { deploy } from './commands/deploy.mjs';
import { open } from './commands/open.mjs';
import { rollback } from './commands/rollback.mjs';
import { listSites } from './commands/sites.mjs';
import { listVersions } from './commands/versions.mjs';
import { canRenew, exchangeToken, hasIdentity } from './exchange-token.mjs';
import { HELP } from './help.mjs';
import { Output } from './output.mjs';
import { Progress } from './progress.mjs';

/**
 * @typedef {object} CommandContext
 * @property {ApiClient} client
 * @property {Progress} progress
 * @property {Output} output
 */

const DEFAULT_URL = 'http://localhost:3000';
const VERSIONS_SHOWN = 20;
/** The signals that people and CI interrupt with, and the exit codes that stand for them in shells. */
const INTERRUPTIONS = { SIGINT: 130, SIGTERM: 143 };

/** @type {Record<string, import('node:util').ParseArgsConfig['options']>} */
const OPTIONS = {
  deploy: {
    site: { type: 'string' },
    message: { type: 'string', short: 'm' },
    'no-publish': { type: 'boolean', default: false },
  },
  'sites list': {},
  'versions list': { site: { type: 'string' }, limit: { type: 'string' } },
  rollback: { site: { type: 'string' }, version: { type: 'string', default: 'previous' } },
  open: { site: { type: 'string' } },
};

/**
 * Runs one command and returns the exit code of the process.
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} environment
 */
export async function main(args, environment) {
  const output = new Output(args.includes('--json'));
  const progress = new Progress({ isSilent: output.isJson });
  outlastReaders(output);
  for (const [signal, exitCode] of Object.entries(INTERRUPTIONS)) {
    process.once(signal, () => {
      progress.clear();
      output.error(new CliError(exitCode, 'Interrupted. Run it again to continue.'));
      process.exit(exitCode);
    });
  }
  try {
    await run(args, environment, output, progress);
    return EXIT.ok;
  } catch (error) {
    progress.clear();
    output.error(error instanceof CliError ? error : new CliError(EXIT.failure, messageOf(error)));
    return error instanceof CliError ? error.exitCode : EXIT.failure;
  }
}

/**
 * A reader such as `head` may stop before the end: what is being done goes on without it. Anything else that prevents the
 * result from being written makes the command fail.
 * @param {Output} output
 */
function outlastReaders(output) {
  process.stderr.on('error', () => undefined);
  process.stdout.on('error', (/** @type {NodeJS.ErrnoException} */ error) => {
    if (error.code === 'EPIPE' || process.exitCode === EXIT.failure) return;
    process.exitCode = EXIT.failure;
    output.complain(`The output cannot be written (${error.code ?? error.message}).`);
  });
}

/**
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} environment
 * @param {Output} output
 * @param {Progress} progress
 */
async function run(args, environment, output, progress) {
  const first = args[0];
  if (first === '--version' || first === '-v') return output.text(`${readVersion()}\n`);
  if (first === undefined || first === 'help' || args.includes('--help') || args.includes('-h')) {
    if (first === undefined) throw new CliError(EXIT.usage, HELP);
    return output.text(HELP);
  }
  const name = Object.hasOwn(OPTIONS, `${args[0]} ${args[1]}`) ? `${args[0]} ${args[1]}` : first;
  const options = Object.hasOwn(OPTIONS, name) ? OPTIONS[name] : undefined;
  if (!options) throw new CliError(EXIT.usage, `There is no command ${first}. See: portage help`);
  const { values, positionals } = parse(args.slice(name.split(' ').length), options);
  const text = (/** @type {string} */ key) => {
    const value = values[key];
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const require = (/** @type {string} */ key) => {
    const value = text(key);
    if (value === undefined)
      throw new CliError(EXIT.usage, `portage ${name} needs --${key}. See: portage help`);
    return value;
  };
  const [folder, ...rest] = positionals;
  if (rest.length > 0 || (folder !== undefined && name !== 'deploy')) {
    throw new CliError(EXIT.usage, `portage ${name} does not take ${rest[0] ?? folder}. See: portage help`);
  }
  const connect = async () => ({
    client: await createClient(environment, progress, text('site')),
    progress,
    output,
  });
  switch (name) {
    case 'deploy': {
      if (folder === undefined)
        throw new CliError(EXIT.usage, 'portage deploy needs a folder. See: portage help');
      const publish = values['no-publish'] !== true;
      const wanted = { folder, site: require('site'), message: text('message'), publish };
      return deploy(await connect(), wanted);
    }
    case 'sites list':
      return listSites(await connect());
    case 'versions list':
      return listVersions(await connect(), { site: require('site'), limit: readLimit(text('limit')) });
    case 'rollback':
      return rollback(await connect(), { site: require('site'), version: text('version') ?? 'previous' });
    default:
      return open(await connect(), { site: require('site') });
  }
}

/**
 * @param {string[]} args
 * @param {import('node:util').ParseArgsConfig['options']} options
 * @returns {{ values: Record<string, unknown>, positionals: string[] }}
 */
function parse(args, options) {
  try {
    const all = { ...options, json: { type: /** @type {const} */ ('boolean'), default: false } };
    return parseArgs({ args, options: all, allowPositionals: true, strict: true });
  } catch (error) {
    // The first sentence says what is wrong; the others tell how to type something that is not meant.
    const [sentence = ''] = messageOf(error).split(/\.\s|\n/);
    throw new CliError(EXIT.usage, `${sentence.replace(/\.$/, '')}. See: portage help`);
  }
}

/**
 * @param {NodeJS.ProcessEnv} environment
 * @param {Progress} progress
 * @param {string | undefined} site for which an identity token can replace a credential
 */
async function createClient(environment, progress, site) {
  // Secrets that were pasted often end with a line break.
  const publicKey = environment.PORTAGE_PUBLIC_KEY?.trim();
  const secretKey = environment.PORTAGE_SECRET_KEY?.trim();
  const stored = publicKey && secretKey ? { publicKey, secretKey } : null;
  const isExchanged = stored === null && site !== undefined && hasIdentity(environment);
  if (stored === null && !isExchanged) {
    throw new CliError(EXIT.authentication, 'Set PORTAGE_PUBLIC_KEY and PORTAGE_SECRET_KEY to a credential.');
  }
  const address = environment.PORTAGE_URL || DEFAULT_URL;
  if (!URL.canParse(address) || !/^https?:$/.test(new URL(address).protocol)) {
    throw new CliError(
      EXIT.usage,
      `PORTAGE_URL must be an address such as https://console.example.ca, not ${address}.`,
    );
  }
  const url = new URL(address);
  if (
    url.protocol === 'http:' &&
    !/^(localhost|127\.\d+\.\d+\.\d+|\[::1\]|.*\.localhost)$/.test(url.hostname)
  ) {
    progress.warn(`PORTAGE_URL is plain http: the secret key can be read on the way to ${url.hostname}.`);
  }
  const settings = { url, version: readVersion() };
  const onRetry = (/** @type {string} */ message) => progress.retry(message);
  if (stored !== null) return new ApiClient({ ...settings, keys: stored }, onRetry);
  const anyone = new ApiClient({ ...settings, keys: null }, onRetry);
  const exchange = () => exchangeToken(environment, anyone, site ?? '');
  const renewKeys = canRenew(environment) ? exchange : null;
  return new ApiClient({ ...settings, keys: await exchange(), renewKeys }, onRetry);
}

/** @param {string | undefined} value */
function readLimit(value) {
  if (value === undefined) return VERSIONS_SHOWN;
  const limit = Number(value);
  if (!Number.isInteger(limit) || limit < 1)
    throw new CliError(EXIT.usage, '--limit must be a whole number above 0.');
  return limit;
}

/** @returns {string} */
function readVersion() {
  return JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version;
}
