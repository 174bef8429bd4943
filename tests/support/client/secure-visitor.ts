import { execFile } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { removeFolder } from '../remove-folder.ts';
import { ensureDebianPackages } from '../runner/debian-packages.ts';

const run = promisify(execFile);

/** A visitor over https with third-party programs, who trusts one root. */
export interface SecureVisitor {
  /**
   * Returns openssl's output about the certificate of a hostname.
   * @throws when it is not valid for it
   */
  verify(hostname: string): Promise<string>;
  /**
   * The first page of a hostname, fetched with curl.
   * @throws when it is not trusted, and for a server error
   */
  fetch(hostname: string): Promise<string>;
  close(): Promise<void>;
}

/** @param root PEM, the only trusted root */
export async function createSecureVisitor(port: number, root: string): Promise<SecureVisitor> {
  ensureDebianPackages(['openssl', 'curl']);
  const folder = await mkdtemp(join(tmpdir(), 'portage-visitor-'));
  const rootFile = join(folder, 'root.pem');
  await writeFile(rootFile, root);
  return {
    async verify(hostname) {
      const asking = run('openssl', [
        ...['s_client', '-connect', `127.0.0.1:${port}`, '-servername', hostname],
        ...['-CAfile', rootFile, '-verify_hostname', hostname, '-verify_return_error'],
      ]);
      asking.child.stdin?.end();
      return (await asking).stdout;
    },
    async fetch(hostname) {
      const { stdout } = await run('curl', [
        ...['--silent', '--show-error', '--fail', '--cacert', rootFile],
        ...['--resolve', `${hostname}:${port}:127.0.0.1`, `https://${hostname}:${port}/`],
      ]);
      return stdout;
    },
    close: () => removeFolder(folder),
  };
}

/** Returns the certificate that openssl printed. */
export function leafOf(output: string): X509Certificate {
  const pem = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/.exec(output)?.[0];
  if (!pem) throw new Error(`no certificate in:\n${output}`);
  return new X509Certificate(pem);
}
