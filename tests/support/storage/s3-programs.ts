import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { removeFolder } from '../remove-folder.ts';
import type { S3Keys } from './s3-client.ts';

const run = promisify(execFile);
const PROGRAM_MS = 60_000;
const REGION = 'qc-south-1';

/** Where a program finds the bucket. */
export interface ProgramTarget {
  host: string;
  bucket: string;
  keys: S3Keys;
}

/** What people do with a client. A feature that a client lacks is omitted. */
export interface S3Program {
  /** Copies a folder below a prefix, and back to another folder. */
  copyFolder?(target: ProgramTarget, from: string, prefix: string, back: string): Promise<unknown>;
  /** Returns the names below a prefix, in any format that contains them. */
  list?(target: ProgramTarget, prefix: string): Promise<string>;
  /** Moves an object within the bucket. */
  move?(target: ProgramTarget, from: string, to: string): Promise<unknown>;
  /** Returns a link to an object that anyone can read. */
  link?(target: ProgramTarget, key: string): Promise<string>;
  /** Deletes everything below a prefix. */
  remove?(target: ProgramTarget, prefix: string): Promise<unknown>;
}
export const FEATURES = ['copyFolder', 'list', 'move', 'link', 'remove'] as const;

/** Runs a program with its keys in the environment and its own home folder. Returns its output. */
async function execute(
  { keys }: ProgramTarget,
  command: string,
  args: readonly string[],
  environment: Record<string, string> = {},
): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 's3-program-'));
  try {
    const { stdout } = await run(command, args, {
      timeout: PROGRAM_MS,
      env: {
        PATH: process.env.PATH ?? '',
        HOME: home,
        LC_ALL: 'C.UTF-8',
        AWS_ACCESS_KEY_ID: keys.accessKeyId,
        AWS_SECRET_ACCESS_KEY: keys.secretAccessKey,
        AWS_DEFAULT_REGION: REGION,
        ...environment,
      },
    });
    return stdout;
  } finally {
    await removeFolder(home);
  }
}

const aws = (target: ProgramTarget, ...args: string[]) =>
  execute(target, 'aws', ['--endpoint-url', `http://${target.host}`, 's3', ...args]);
const awsCli: S3Program = {
  async copyFolder(target, from, prefix, back) {
    await aws(target, 'sync', from, `s3://${target.bucket}/${prefix}`, '--only-show-errors');
    await aws(target, 'sync', `s3://${target.bucket}/${prefix}`, back, '--only-show-errors');
  },
  list: (target, prefix) => aws(target, 'ls', '--recursive', `s3://${target.bucket}/${prefix}`),
  move: (target, from, to) =>
    aws(target, 'mv', `s3://${target.bucket}/${from}`, `s3://${target.bucket}/${to}`, '--only-show-errors'),
  link: async (target, key) => (await aws(target, 'presign', `s3://${target.bucket}/${key}`)).trim(),
  remove: (target, prefix) => aws(target, 'rm', '--recursive', `s3://${target.bucket}/${prefix}`),
};

const s3 = (target: ProgramTarget, ...args: string[]) =>
  execute(target, 's3cmd', [
    '--no-ssl',
    '--config=/dev/null',
    `--host=${target.host}`,
    `--host-bucket=${target.host}`,
    `--region=${REGION}`,
    `--access_key=${target.keys.accessKeyId}`,
    `--secret_key=${target.keys.secretAccessKey}`,
    ...args,
  ]);
const s3cmd: S3Program = {
  async copyFolder(target, from, prefix, back) {
    await s3(target, 'sync', `${from}/`, `s3://${target.bucket}/${prefix}`);
    await s3(target, 'sync', `s3://${target.bucket}/${prefix}`, `${back}/`);
  },
  list: (target, prefix) => s3(target, 'ls', '--recursive', `s3://${target.bucket}/${prefix}`),
  move: (target, from, to) =>
    s3(target, 'mv', `s3://${target.bucket}/${from}`, `s3://${target.bucket}/${to}`),
  link: async (target, key) => (await s3(target, 'signurl', `s3://${target.bucket}/${key}`, '+600')).trim(),
  remove: (target, prefix) => s3(target, 'del', '--recursive', '--force', `s3://${target.bucket}/${prefix}`),
};

const clone = (target: ProgramTarget, ...args: string[]) =>
  execute(target, 'rclone', ['--config=/dev/null', ...args]);
const remote = ({ host, bucket }: ProgramTarget, path: string) =>
  `:s3,provider=Other,env_auth,region=${REGION},no_check_bucket,endpoint="http://${host}":${bucket}/${path}`;
const rclone: S3Program = {
  async copyFolder(target, from, prefix, back) {
    await clone(target, 'copy', from, remote(target, prefix));
    await clone(target, 'check', from, remote(target, prefix));
    await clone(target, 'copy', remote(target, prefix), back);
  },
  list: (target, prefix) => clone(target, 'lsf', '--recursive', remote(target, prefix)),
  move: (target, from, to) => clone(target, 'moveto', remote(target, from), remote(target, to)),
  link: async (target, key) => (await clone(target, 'link', '--expire=1h', remote(target, key))).trim(),
  remove: (target, prefix) => clone(target, 'purge', remote(target, prefix)),
};

const repository = ({ host, bucket }: ProgramTarget, prefix: string) =>
  `s3:http://${host}/${bucket}/${prefix}`;
const restic: S3Program = {
  async copyFolder(target, from, prefix, back) {
    const environment = { RESTIC_PASSWORD: 'password', RESTIC_CACHE_DIR: `${back}-cache` };
    const restored = `${back}-restored`;
    const restic = (...args: string[]) =>
      execute(target, 'restic', ['--repo', repository(target, prefix), '--no-cache', ...args], environment);
    await restic('init');
    await restic('backup', from);
    await restic('check', '--read-data');
    await restic('restore', 'latest', '--target', restored);
    await run('sh', ['-c', 'cp -a "$1$2/." "$3"', 'sh', restored, from, back]);
    await removeFolder(restored);
  },
};

const BOTO = `
import os, sys, boto3
from botocore.config import Config
action, host, bucket, *args = sys.argv[1:]
s3 = boto3.client('s3', endpoint_url='http://' + host, config=Config(signature_version='s3v4', s3={'addressing_style': 'path'}))
def walk(prefix):
    for page in s3.get_paginator('list_objects_v2').paginate(Bucket=bucket, Prefix=prefix):
        for item in page.get('Contents', []): yield item['Key']
if action == 'copyFolder':
    source, prefix, back = args
    for folder, _, names in os.walk(source):
        for name in names:
            path = os.path.join(folder, name)
            s3.upload_file(path, bucket, prefix + os.path.relpath(path, source))
    for key in walk(prefix):
        path = os.path.join(back, key[len(prefix):])
        os.makedirs(os.path.dirname(path), exist_ok=True)
        s3.download_file(bucket, key, path)
elif action == 'list': print('\\n'.join(walk(args[0])))
elif action == 'move':
    s3.copy({'Bucket': bucket, 'Key': args[0]}, bucket, args[1])
    s3.delete_object(Bucket=bucket, Key=args[0])
elif action == 'link': print(s3.generate_presigned_url('get_object', Params={'Bucket': bucket, 'Key': args[0]}, ExpiresIn=600))
elif action == 'remove':
    answer = s3.delete_objects(Bucket=bucket, Delete={'Objects': [{'Key': key} for key in walk(args[0])]})
    assert 'Errors' not in answer
`;
// Debian's own, whatever else is called python3 here.
const boto = (target: ProgramTarget, action: string, ...args: string[]) =>
  execute(target, '/usr/bin/python3', ['-c', BOTO, action, target.host, target.bucket, ...args]);
const boto3: S3Program = {
  copyFolder: (target, from, prefix, back) => boto(target, 'copyFolder', from, prefix, back),
  list: (target, prefix) => boto(target, 'list', prefix),
  move: (target, from, to) => boto(target, 'move', from, to),
  link: async (target, key) => (await boto(target, 'link', key)).trim(),
  remove: (target, prefix) => boto(target, 'remove', prefix),
};

/** S3 clients from Debian, by their common names. */
export const S3_PROGRAMS: Record<string, S3Program> = { 'aws-cli': awsCli, boto3, rclone, restic, s3cmd };
export const S3_PROGRAM_PACKAGES = ['awscli', 'python3-boto3', 'rclone', 'restic', 's3cmd'];

/**
 * Writes a folder of names and sizes that clients have had trouble with: odd, empty, deep, and large enough
 * for parts.
 */
export async function writeOddFolder(folder: string): Promise<void> {
  await mkdir(join(folder, 'deep/er'), { recursive: true });
  const files: Record<string, Buffer> = {
    'plain.txt': Buffer.from('plain'),
    'with space & plus+.txt': Buffer.from('odd'),
    '100% été 日本 😀.txt': Buffer.from('unicode'),
    "quote' (1) [2] {3}.txt": Buffer.from('brackets'),
    empty: Buffer.alloc(0),
    'deep/er/file.bin': Buffer.alloc(70_000, 'x'),
    'large.bin': Buffer.alloc(18 * 1024 ** 2, 'large '),
  };
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
}

/** Returns a folder's files, by path. */
export async function readFolder(folder: string): Promise<Map<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const read = files.map(async (entry): Promise<[string, string]> => {
    const path = join(entry.parentPath, entry.name);
    return [path.slice(folder.length + 1), (await readFile(path)).toString('base64')];
  });
  return new Map((await Promise.all(read)).sort(([one], [other]) => (one < other ? -1 : 1)));
}
