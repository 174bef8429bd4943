import { existsSync } from 'node:fs';
import type { DestinationStream } from 'pino';
import { openDatabase } from '#db/client.ts';
import { migrateDatabase } from '#db/migrate.ts';
import { type Config, ConfigError, loadConfig } from '../config/config.ts';
import type { RequestContext } from '../context.ts';
import { createApp } from '../create-app.ts';
import { toAppError } from '../errors.ts';
import { newId } from '../ids.ts';
import { createLogger } from '../logging/logger.ts';
import { logMigrations } from '../start/log-migrations.ts';
import { reachDatabase } from '../start/start-plan.ts';
import { abuseCommands } from './abuse-commands.ts';
import { backupCommands } from './backup-commands.ts';
import { billingCommands } from './billing-commands.ts';
import { certificateCommands } from './certificate-commands.ts';
import type { Command } from './command.ts';
import { plain } from './format-text.ts';
import { identityCommands } from './identity-commands.ts';
import { organizationCommands } from './organization-commands.ts';
import { helpText, parseCommandLine, type RunnableLine, UsageError } from './parse-command-line.ts';
import { peopleCommands } from './people-commands.ts';
import { processCommands } from './process-commands.ts';
import { stuckWorkCommands } from './stuck-work-commands.ts';
import { tokenCommands } from './token-commands.ts';
import { usageCommands } from './usage-commands.ts';

/**
 * The operator's command (`npm run operator -- …`): the verbs of the operator router and a few more, on the
 * server's own settings and database, whether or not the server is running.
 */
const COMMANDS: readonly Command[] = [
  ...organizationCommands,
  ...peopleCommands,
  ...abuseCommands,
  ...certificateCommands,
  ...tokenCommands,
  ...identityCommands,
  ...usageCommands,
  ...billingCommands,
  ...stuckWorkCommands,
  ...backupCommands,
  ...processCommands,
];

const FAILED = 1;
const MISUSED = 2;

/** Where a command writes: its result, and what went wrong. */
export interface CommandOutput {
  readonly stdout: { write(text: string): unknown };
  readonly stderr: DestinationStream;
}

/**
 * Runs one command line with the settings of an environment.
 * @returns the exit code: 0, 1 when the command failed, 2 when it was not understood
 */
export async function runCommand(
  argv: readonly string[],
  environment: NodeJS.ProcessEnv,
  { stdout, stderr }: CommandOutput,
): Promise<number> {
  const print = (text: string) => stdout.write(`${text}\n`);
  const isJson = argv.includes('--json');
  try {
    const config = loadConfig(environment);
    const line = parseCommandLine(argv, COMMANDS);
    if (line.kind === 'help') {
      print(helpText(config.productName, line));
      return 0;
    }
    const result = await run(config, line, stderr);
    print(line.isJson ? JSON.stringify(result, null, 2) : line.command.show(result));
    return line.command.isFailure(result) ? FAILED : 0;
  } catch (error) {
    const { code, sentence } = describeFailure(error);
    const hint = error instanceof UsageError ? ' Try --help.' : '';
    stderr.write(
      `${isJson ? JSON.stringify({ error: { code, message: sentence } }) : `${plain(sentence)}${hint}`}\n`,
    );
    return code === 'usage' || code === 'invalid_input' ? MISUSED : FAILED;
  }
}

function run(config: Config, { command, input }: RunnableLine, log: DestinationStream): Promise<unknown> {
  const { work } = command;
  if (work.needs === 'installation') return inApp(config, log, (context) => work.run(context, input));
  return work.run({ config, logger: createLogger('warn', log) }, input);
}

/** Runs work as the operator at the command line. */
async function inApp<R>(
  config: Config,
  log: DestinationStream,
  work: (context: RequestContext) => Promise<R>,
): Promise<R> {
  const sqlitePath = /^sqlite:(.*)$/.exec(config.databaseUrl)?.[1];
  if (sqlitePath !== undefined && !existsSync(sqlitePath)) {
    throw new ConfigError(
      'DATA_DIR cannot be used: it contains no database. Start the server once, or set its DATA_DIR.',
    );
  }
  const migrations = await reachDatabase(() => migrateDatabase(config.databaseUrl));
  if (migrations.length > 0) logMigrations(createLogger('info', log), migrations);
  const db = openDatabase(config.databaseUrl);
  try {
    const app = await createApp(config, db, createLogger('warn', log));
    return await work({
      app,
      actor: { kind: 'operator', tokenId: null, name: 'command line', access: 'manage' },
      requestId: newId(),
      address: '',
    });
  } finally {
    await db.destroy();
  }
}

/** Returns the reason of a refused value with its field named as an option is typed: `expires-in-days: …`. */
function optionNamed(reason: string): string {
  return reason.replace(/^[a-z_.0-9]+:/, (field) => field.replaceAll('_', '-'));
}

/** Returns the code of a failure and one sentence for a person, never a stack. */
function describeFailure(error: unknown): { code: string; sentence: string } {
  if (error instanceof UsageError) return { code: 'usage', sentence: error.message };
  if (error instanceof ConfigError) return { code: 'configuration', sentence: error.message };
  const known = toAppError(error);
  // The general sentence mentions an address, and there is none here.
  if (known.code === 'not_found') return { code: known.code, sentence: 'Nothing here has this name.' };
  if (known.code === 'invalid_input') {
    const reason = optionNamed(String(known.params.reason));
    return { code: known.code, sentence: `The command line is not valid: ${reason}.` };
  }
  // The operator can do something about a dependency that is down, and needs its name.
  const isNamedByReason = known.code === 'internal' || known.code === 'service_unavailable';
  if (!isNamedByReason) return { code: known.code, sentence: known.message };
  const cause = error instanceof AggregateError ? error.errors[0] : error;
  const reason = cause instanceof Error ? (cause.message.split('\n')[0] ?? '') : String(cause);
  return { code: known.code, sentence: `The command failed: ${reason}` };
}
