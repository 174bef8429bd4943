import { ConfigError } from '#server/config/config.ts';

/** The location of a bucket, and the credentials for it. */
export interface S3Location {
  endpoint: string;
  region: string;
  bucket: string;
  /** Empty, or ends with a slash. */
  prefix: string;
  credentials: { accessKeyId: string; secretAccessKey: string };
}

/** @throws ConfigError naming OBJECT_STORE_URL, never echoing it */
export function parseS3Url(url: string): S3Location {
  const parsed = new URL(url);
  const [bucket = '', ...rest] = decodeURIComponent(parsed.pathname).split('/').filter(Boolean);
  const scheme = parsed.searchParams.get('scheme') ?? 'https';
  if (parsed.username === '' || parsed.password === '' || bucket === '' || parsed.host === '') {
    throw new ConfigError(
      'OBJECT_STORE_URL cannot be used: it must be s3://key:secret@host/bucket?region=….',
    );
  }
  if (scheme !== 'https' && scheme !== 'http') {
    throw new ConfigError('OBJECT_STORE_URL cannot be used: scheme must be https or http.');
  }
  return {
    endpoint: `${scheme}://${parsed.host}`,
    region: parsed.searchParams.get('region') ?? 'us-east-1',
    bucket,
    prefix: rest.length === 0 ? '' : `${rest.join('/')}/`,
    credentials: {
      accessKeyId: decodeURIComponent(parsed.username),
      secretAccessKey: decodeURIComponent(parsed.password),
    },
  };
}
