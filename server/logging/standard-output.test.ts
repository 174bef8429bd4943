import { type StdioOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';

/** Logs in each way that the program does, and says on stderr that it goes on. */
const logProgram = `
  import { createLogger } from './server/logging/logger.ts';
  import { createSupervisorLog } from './server/supervisor/supervisor-log.ts';
  import { logUncaughtErrors } from './server/start/log-uncaught-errors.ts';
  const logs = [createLogger('info'), createSupervisorLog('info')];
  for (const log of logs) {
    log.info({}, 'before');
    log.info({}, 'between');
  }
  logUncaughtErrors(logs[0]);
  setTimeout(() => { throw new Error('thrown') }, 1);
  setTimeout(() => {
    for (const log of logs) log.info({}, 'after');
    process.stderr.write('still here');
  }, 20);
`;

/** Writes to the access log, closes it, says so on stderr, and ends. */
const accessLogProgram = `
  import { Registry } from 'prom-client';
  import { openAccessLog } from './server/logging/access-log.ts';
  const accessLog = { doors: new Set(['edge']), file: null, hasWholeAddresses: true };
  const logger = { warn: () => undefined };
  const clock = { now: () => 0 };
  const log = await openAccessLog({ clock, config: { accessLog }, logger, metrics: new Registry() }, 'edge');
  const seen = { address: '', method: 'GET', host: '', target: '/', status: 200, bytes: 0, ms: 0 };
  const write = () => log.write({ ...seen, referer: '', userAgent: '' });
  write();
  setTimeout(async () => {
    write();
    await log.close();
    process.stderr.write('still here');
    process.exit(0);
  }, 20);
`;

/** Runs a program with a standard output, and resolves with what it says and its exit code. */
async function run(program: string, stdout: number | 'pipe') {
  const stdio: StdioOptions = ['ignore', stdout, 'pipe'];
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio });
  // Nobody reads what it logs.
  child.stdout?.destroy();
  if (child.stderr === null) throw new Error('no stderr');
  const [said, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  return { said, code };
}

describe.each([
  { about: 'a process goes on with its work', program: logProgram },
  { about: 'a process with an access log ends', program: accessLogProgram },
])('$about', ({ program }) => {
  it('when the disk of its log is full', async () => {
    const full = openSync('/dev/full', 'w');
    expect(await run(program, full)).toEqual({ said: 'still here', code: 0 });
    closeSync(full);
  });

  it('when the reader of its log has gone', async () => {
    expect(await run(program, 'pipe')).toEqual({ said: 'still here', code: 0 });
  });
});
