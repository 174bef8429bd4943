import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import type { AbuseKind } from '#server/services/abuse/rules.ts';

/** What a report is about, as the reporter chooses it and operators read it. */
export const ABUSE_WORDS: Record<AbuseKind, MessageDescriptor> = {
  phishing: msg`Phishing or fraud`,
  malware: msg`Malware`,
  illegal: msg`Illegal content`,
  copyright: msg`Copyright or trademark`,
  spam: msg`Spam`,
  other: msg({ context: 'abuse', message: 'Something else' }),
};
