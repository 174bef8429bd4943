import type { Logger } from '../logging/logger.ts';
import type { Config } from './config.ts';
import { findUnknownSettings } from './unknown-settings.ts';

/** Says at the start what is not wrong enough to stop it, and is probably not what somebody meant. */
export function warnAboutSettings(
  config: Config,
  logger: Logger,
  environment: Record<string, string | undefined>,
): void {
  for (const { name, closest } of findUnknownSettings(environment)) {
    logger.warn({ name }, `${name} is no setting and changes nothing. The closest one is ${closest}.`);
  }
  const isMixed = config.publicUrl.startsWith('https:') && config.s3Url.startsWith('http:');
  if (isMixed && config.roles.has('console') && config.defaultFeatures.includes('object_storage')) {
    logger.warn(
      'S3_URL is http while PUBLIC_URL is https: browsers refuse uploads to buckets and previews of objects.',
    );
  }
}
