import { execFile, spawn } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort } from '#tests/support/free-port.ts';
import { removeFolder } from '#tests/support/remove-folder.ts';
import { endProcess } from '#tests/support/server/end-process.ts';
import type { S3Target } from './s3-load.ts';

const PACKAGE = 's3rver@3.7.1';
const INSTALL_MS = 120_000;
const ATTEMPTS = 100;

/** Another S3 server, from the package registry: it stores objects as files, and syncs none of them. */
export interface S3Peer {
  name: string;
  target: S3Target;
  close(): Promise<void>;
}

/** Starts the peer; null when the registry does not have it. */
export async function startS3Peer(): Promise<S3Peer | null> {
  const folder = await mkdtemp(join(tmpdir(), 's3-peer-'));
  try {
    await promisify(execFile)('npm', ['install', '--no-audit', '--no-fund', '--prefix', folder, PACKAGE], {
      timeout: INSTALL_MS,
    });
  } catch {
    await removeFolder(folder);
    return null;
  }
  const port = await freePort();
  const bucket = 'bench';
  const command = join(folder, 'node_modules/s3rver/bin/s3rver.js');
  const child = spawn(
    process.execPath,
    [command, '-d', join(folder, 'data'), '-p', String(port), '--silent', '--configure-bucket', bucket],
    { stdio: 'ignore' },
  );
  for (let attempt = 0; attempt < ATTEMPTS && !(await isListening(port)); attempt += 1) await sleep(100);
  return {
    name: 's3rver',
    target: { port, bucket, keys: { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' } },
    async close() {
      await endProcess(child, 'SIGTERM');
      await removeFolder(folder);
    },
  };
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}
