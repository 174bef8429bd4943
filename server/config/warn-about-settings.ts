import type { Logger } from '../logging/logger.ts';
import type { Config } from './config.ts';
import { findUnknownSettings } from './unknown-settings.ts';

/** Warns at the start about settings that do not prevent it but are probably a mistake. */
export function warnAboutSettings(
  config: Config,
  logger: Logger,
  environment: Record<string, string | undefined>,
): void {
  for (const { name, closest } of findUnknownSettings(environment)) {
    logger.warn({ name }, `${name} is not a setting and has no effect. The closest one is ${closest}.`);
  }
  const isMixed = config.publicUrl.startsWith('https:') && config.s3Url.startsWith('http:');
  if (isMixed && config.roles.has('console') && config.defaultFeatures.includes('object_storage')) {
    logger.warn(
      'S3_URL is http while PUBLIC_URL is https: browsers refuse uploads to buckets and previews of objects.',
    );
  }
}
