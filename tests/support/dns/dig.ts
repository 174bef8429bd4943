import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { ensureDebianPackages } from '../runner/debian-packages.ts';

const run = promisify(execFile);

/**
 * Queries a name server of this machine with the real `dig` and returns what it parsed, one item per line:
 * status and flags, EDNS if present, and each section with its records. The changing serial of a zone is
 * replaced by SERIAL. On failure, dig's message.
 */
export async function dig(port: number, ...question: string[]): Promise<string> {
  ensureDebianPackages(['bind9-dnsutils']);
  const options = ['+nocmd', '+nostats', '+noquestion', '+tries=1', '+time=5', '+nocrypto'];
  const asked = await run('dig', ['@127.0.0.1', '-p', String(port), ...options, ...question]).catch(
    (error: { stdout: string }) => error,
  );
  return asked.stdout.split('\n').flatMap(readLine).join('\n');
}

/** Returns the data of the answer's records only, one per line. */
export async function digShort(port: number, ...question: string[]): Promise<string[]> {
  ensureDebianPackages(['bind9-dnsutils']);
  const { stdout } = await run('dig', ['@127.0.0.1', '-p', String(port), '+short', '+tries=1', ...question]);
  return stdout.split('\n').filter((line) => line !== '');
}

function readLine(line: string): string[] {
  const status = /status: (\w+)/.exec(line)?.[1];
  if (status) return [status];
  const flags = /^;; flags: ([^;]*);/.exec(line)?.[1];
  if (flags) return [`flags ${flags}`];
  const edns = /^; EDNS: version: (\d+), flags:([^;]*); udp: (\d+)/.exec(line);
  if (edns) return [`edns ${edns[1]}${edns[2]} ${edns[3]}`];
  const section = /^;; (\w+) SECTION:/.exec(line)?.[1];
  if (section) return [section];
  if (/Transfer failed|timed out|reset|end of file|Truncated/i.test(line)) return [line.replace(/^;+ ?/, '')];
  if (line === '' || line.startsWith(';')) return [];
  return [line.replace(/\s+/g, ' ').replace(/( SOA \S+ \S+) \d+/, '$1 SERIAL')];
}
