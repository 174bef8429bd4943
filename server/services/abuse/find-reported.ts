import type { Executor } from '#db/client.ts';
import type { Config } from '#server/config/config.ts';

/** What an address leads to, whether or not it is served. */
export interface Reported {
  organization_id: string | null;
  site_id: string | null;
  /** What a visitor currently sees there. */
  version_id: string | null;
}

const NOTHING: Reported = { organization_id: null, site_id: null, version_id: null };

/**
 * Returns who an address belongs to and what it shows: a bucket, a site's own name, a preview's, or a custom hostname
 * that has been proven.
 */
export async function findReported(
  executor: Executor,
  config: Config,
  { hostname, pathname }: Pick<URL, 'hostname' | 'pathname'>,
): Promise<Reported> {
  const bucketName = bucketNameOf(config, hostname, pathname);
  if (bucketName !== null) return (await findBucketOwner(executor, bucketName)) ?? NOTHING;
  const suffix = `.${config.sitesDomain}`;
  if (!hostname.endsWith(suffix)) return (await findEndpoint(executor, hostname)) ?? NOTHING;
  const label = hostname.slice(0, -suffix.length);
  const separator = label.indexOf('--');
  const found =
    separator < 0
      ? await findSite(executor, label)
      : await findVersion(executor, label.slice(0, separator), label.slice(separator + 2));
  return found ?? NOTHING;
}

/** The bucket in the host, below the domain of buckets, or in the path, at the S3 service; null elsewhere. */
function bucketNameOf({ s3Domain, s3Url }: Config, hostname: string, pathname: string): string | null {
  const suffix = `.${s3Domain}`;
  if (hostname.endsWith(suffix)) return hostname.slice(0, -suffix.length);
  const isService = hostname === s3Domain || hostname === new URL(s3Url).hostname;
  return isService ? (pathname.split('/')[1] ?? '') : null;
}

async function findBucketOwner(executor: Executor, name: string): Promise<Reported | null> {
  const bucket = await executor
    .selectFrom('buckets')
    .select('organization_id')
    .where('name', '=', name)
    .executeTakeFirst();
  return bucket === undefined ? null : { ...NOTHING, organization_id: bucket.organization_id };
}

function findEndpoint(executor: Executor, hostname: string): Promise<Reported | undefined> {
  return executor
    .selectFrom('cdn_endpoints')
    .leftJoin('sites', 'sites.id', 'cdn_endpoints.site_id')
    .select([
      'cdn_endpoints.organization_id',
      'cdn_endpoints.site_id',
      'sites.current_version_id as version_id',
    ])
    .where('cdn_endpoints.hostname', '=', hostname)
    .where('cdn_endpoints.proven_at', 'is not', null)
    .executeTakeFirst();
}

function findSite(executor: Executor, subdomain: string): Promise<Reported | undefined> {
  return executor
    .selectFrom('sites')
    .select(['organization_id', 'id as site_id', 'current_version_id as version_id'])
    .where('subdomain', '=', subdomain)
    .executeTakeFirst();
}

/** The address of a removed version leads to its site. */
async function findVersion(
  executor: Executor,
  versionId: string,
  subdomain: string,
): Promise<Reported | undefined> {
  const version = await executor
    .selectFrom('site_versions')
    .select(['organization_id', 'site_id', 'id as version_id'])
    .where('id', '=', versionId)
    .where('removed_at', 'is', null)
    .executeTakeFirst();
  return version ?? findSite(executor, subdomain);
}
