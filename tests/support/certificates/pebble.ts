import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { freePort } from '../free-port.ts';
import { removeFolder } from '../remove-folder.ts';
import { ensureDebianPackages } from '../runner/debian-packages.ts';
import { endProcess } from '../server/end-process.ts';
import { makeServerCertificate } from '../server/server-certificate.ts';

/** Pebble, the ACME server with which Let's Encrypt tests clients, in its own process. */
export interface Pebble {
  directoryUrl: string;
  /** PEM file of the CA that signed its https certificate, for ACME_CA_FILE. */
  caFile: string;
  /** The same, in PEM. */
  caCertificate: string;
  /** PEM of the root of the certificates that it issues; new at every start. */
  rootCertificate(): Promise<string>;
  /** Its output. */
  output(): string;
  /** Stops it, like an outage. */
  stop(): Promise<void>;
  /** Starts it again on the same ports: it has forgotten accounts, orders and its root. */
  start(): Promise<void>;
  close(): Promise<void>;
}

export interface PebbleOptions {
  /** `127.0.0.1:port` of the recursive resolver that it uses. */
  resolver: string;
  /** External accounts by key id, with their keys in base64url; if given, one of them is required. */
  externalAccounts?: Record<string, string>;
  /** Names that it rejects by policy. */
  blockedDomains?: string[];
  /**
   * The percentage of still valid proofs that it reuses; none by default, so that every order must be proven.
   */
  reusePercent?: number;
  validitySeconds?: number;
}

const ATTEMPTS = 300;

/**
 * Starts Pebble with its own https certificate on free ports of 127.0.0.1 and waits until it responds. It
 * validates without delay and rejects one in twenty nonces, which is its default.
 */
export async function startPebble(options: PebbleOptions): Promise<Pebble> {
  ensureDebianPackages(['pebble']);
  const folder = await mkdtemp(join(tmpdir(), 'portage-pebble-'));
  const [port, managementPort] = [await freePort(), await freePort()];
  const https = await makeServerCertificate(['127.0.0.1', 'localhost']);
  const paths = {
    config: join(folder, 'pebble.json'),
    certificate: join(folder, 'certificate.pem'),
    key: join(folder, 'key.pem'),
  };
  await writeFile(paths.certificate, https.certificate);
  await writeFile(paths.key, https.privateKey);
  await writeFile(
    paths.config,
    JSON.stringify({
      pebble: {
        listenAddress: `127.0.0.1:${port}`,
        managementListenAddress: `127.0.0.1:${managementPort}`,
        certificate: paths.certificate,
        privateKey: paths.key,
        httpPort: 80,
        tlsPort: 443,
        ocspResponderURL: '',
        externalAccountBindingRequired: options.externalAccounts !== undefined,
        externalAccountMACKeys: options.externalAccounts ?? {},
        domainBlocklist: options.blockedDomains ?? [],
        certificateValidityPeriod: options.validitySeconds ?? 90 * 86_400,
      },
    }),
  );
  const directoryUrl = `https://127.0.0.1:${port}/dir`;
  let child: ChildProcess | undefined;
  let printed = '';
  const read = (url: string) => readTrusting(url, https.certificate);

  const pebble: Pebble = {
    directoryUrl,
    caFile: paths.certificate,
    caCertificate: https.certificate,
    rootCertificate: () => read(`https://127.0.0.1:${managementPort}/roots/0`),
    output: () => printed,
    async start() {
      child = spawn('pebble', ['-config', paths.config, '-dnsserver', options.resolver, '-strict'], {
        env: {
          PATH: process.env.PATH ?? '',
          PEBBLE_VA_NOSLEEP: '1',
          PEBBLE_AUTHZREUSE: String(options.reusePercent ?? 0),
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const take = (chunk: Buffer) => {
        printed += chunk.toString();
      };
      child.stdout?.on('data', take);
      child.stderr?.on('data', take);
      for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
        const isReady = await read(directoryUrl).then(
          () => true,
          () => false,
        );
        if (isReady) return;
        if (child.exitCode !== null) break;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      await pebble.close();
      throw new Error(`Pebble did not start:\n${printed}`);
    },
    stop: () => endProcess(child, 'SIGKILL').then(() => undefined),
    async close() {
      await pebble.stop();
      await removeFolder(folder);
    },
  };
  await pebble.start();
  return pebble;
}

function readTrusting(url: string, ca: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const asking = request(url, { ca, agent: false }, (response) => text(response).then(resolve, reject));
    asking.on('error', reject);
    asking.end();
  });
}
