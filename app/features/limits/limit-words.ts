import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import type { LimitName } from '#server/services/limits/rules.ts';

/** What each limit counts, and what can be done when it is close. Exhaustive by type. */
export const LIMIT_WORDS: Record<LimitName, { title: MessageDescriptor; advice: MessageDescriptor }> = {
  sites: {
    title: msg`Sites`,
    advice: msg`Delete sites that are not needed; a deleted one counts until it can no longer be restored.`,
  },
  versions: {
    title: msg`Versions of all sites`,
    advice: msg`Keep fewer old versions in the settings of the sites.`,
  },
  open_versions: {
    title: msg`Deploys under way`,
    advice: msg`Wait until some are done; abandoned ones end after a day.`,
  },
  stored_files: {
    title: msg`Files in all versions`,
    advice: msg`Keep fewer old versions in the settings of the sites.`,
  },
  stored_bytes: {
    title: msg`Stored content`,
    advice: msg`Keep fewer old versions in the settings of the sites, or delete sites. The space is freed about a day later.`,
  },
  buckets: { title: msg`Buckets`, advice: msg`Delete buckets that are not needed.` },
  bucket_bytes: { title: msg`Content of buckets`, advice: msg`Delete objects that are not needed.` },
  bucket_objects: {
    title: msg`Objects in buckets`,
    advice: msg`Delete objects that are not needed, and abandon uploads that will not be completed.`,
  },
  endpoints: { title: msg`CDN endpoints`, advice: msg`Delete endpoints that are not needed.` },
  credentials: { title: msg`API credentials`, advice: msg`Delete credentials that are not needed.` },
  members: { title: msg`Members`, advice: msg`Remove members who no longer need access.` },
  invitations: { title: msg`Open invitations`, advice: msg`Revoke invitations that are not needed.` },
};
