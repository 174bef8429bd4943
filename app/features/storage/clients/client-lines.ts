/** What the commands of a client depend on. */
export interface ClientTarget {
  /** The address of the S3 service, without a trailing slash, e.g. `https://s3.example.ca`. */
  endpoint: string;
  region: string;
  bucket: string;
  accessKey: string;
  secretKey: string;
}

/** Stands for a key that is not known here. */
export const KEY_PLACEHOLDERS = { accessKey: 'ptgpk_…', secretKey: 'ptgsk_…' } as const;

export const CLIENTS = ['aws-cli', 'rclone', 'boto3', 'AWS SDK for JavaScript', 's3cmd', 'restic'] as const;
export type Client = (typeof CLIENTS)[number];

/**
 * Returns the address of the S3 service for programs. Browsers find names below `localhost` by themselves; for programs these exist
 * only where the resolver of the machine knows them.
 */
export function endpointForPrograms(s3Url: string): string {
  const url = new URL(s3Url);
  if (url.hostname.endsWith('.localhost')) url.hostname = 'localhost';
  return url.origin;
}

/**
 * Returns the commands to use the bucket with a client. The bucket is in the path, which needs no DNS of its
 * own.
 */
export function clientLines(client: Client, target: ClientTarget): string {
  return LINES[client](target).join('\n');
}

const keysInEnvironment = ({ accessKey, secretKey }: ClientTarget) => [
  `export AWS_ACCESS_KEY_ID=${accessKey}`,
  `export AWS_SECRET_ACCESS_KEY=${secretKey}`,
];

const LINES: Record<Client, (target: ClientTarget) => string[]> = {
  'aws-cli': (target) => [
    ...keysInEnvironment(target),
    `export AWS_DEFAULT_REGION=${target.region}`,
    `export AWS_ENDPOINT_URL_S3=${target.endpoint}`,
    '',
    `aws s3 cp ./photo.jpg s3://${target.bucket}/photo.jpg`,
    `aws s3 ls s3://${target.bucket}/`,
  ],
  rclone: (target) => [
    '# ~/.config/rclone/rclone.conf',
    '[portage]',
    'type = s3',
    'provider = Other',
    `endpoint = ${target.endpoint}`,
    `region = ${target.region}`,
    `access_key_id = ${target.accessKey}`,
    `secret_access_key = ${target.secretKey}`,
    'force_path_style = true',
    '# The key reaches its buckets and creates none.',
    'no_check_bucket = true',
    '',
    `# rclone copy ./photos portage:${target.bucket}/photos --progress`,
  ],
  boto3: (target) => [
    'import boto3',
    'from botocore.config import Config',
    '',
    's3 = boto3.client(',
    '    "s3",',
    `    endpoint_url="${target.endpoint}",`,
    `    region_name="${target.region}",`,
    `    aws_access_key_id="${target.accessKey}",`,
    `    aws_secret_access_key="${target.secretKey}",`,
    '    config=Config(s3={"addressing_style": "path"}),',
    ')',
    `s3.upload_file("photo.jpg", "${target.bucket}", "photo.jpg")`,
  ],
  'AWS SDK for JavaScript': (target) => [
    "import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';",
    '',
    'const s3 = new S3Client({',
    `  endpoint: '${target.endpoint}',`,
    `  region: '${target.region}',`,
    '  forcePathStyle: true,',
    '  credentials: {',
    `    accessKeyId: '${target.accessKey}',`,
    `    secretAccessKey: '${target.secretKey}',`,
    '  },',
    '});',
    `await s3.send(new PutObjectCommand({ Bucket: '${target.bucket}', Key: 'hello.txt', Body: 'Hello' }));`,
  ],
  s3cmd: (target) => {
    const { host, protocol } = new URL(target.endpoint);
    return [
      '# ~/.s3cfg',
      '[default]',
      `access_key = ${target.accessKey}`,
      `secret_key = ${target.secretKey}`,
      `host_base = ${host}`,
      `host_bucket = ${host}`,
      `bucket_location = ${target.region}`,
      `use_https = ${protocol === 'https:' ? 'True' : 'False'}`,
      'signature_v2 = False',
      '',
      `# s3cmd put photo.jpg s3://${target.bucket}/photo.jpg`,
    ];
  },
  restic: (target) => [
    ...keysInEnvironment(target),
    `export AWS_DEFAULT_REGION=${target.region}`,
    `export RESTIC_REPOSITORY=s3:${target.endpoint}/${target.bucket}`,
    '',
    'restic init',
    'restic backup ~/documents',
  ],
};
