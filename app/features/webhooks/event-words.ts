import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import type { WebhookMessage } from '#server/services/webhooks/schema.ts';

/** The description of each event. Exhaustive by type: a new event without a text does not compile. */
export const EVENT_WORDS: Record<WebhookMessage['event'], MessageDescriptor> = {
  'deploy.published': msg`A version was published`,
  'deploy.rolled_back': msg`A site was rolled back`,
  'certificate.issued': msg`A certificate was issued or renewed`,
  'certificate.failed': msg`A certificate could not be issued`,
  'certificate.expiring': msg`A certificate will expire if nothing is done`,
  'limit.reached': msg`A share of a spending limit was reached`,
  'invoice.issued': msg`An invoice was issued`,
  'invoice.paid': msg`An invoice was paid`,
  'invoice.payment_failed': msg`An invoice could not be charged`,
  'invoice.credited': msg`A part of an invoice was credited`,
  'invoice.voided': msg`An invoice was voided`,
  'invoice.refunded': msg`A payment was refunded`,
  'invoice.disputed': msg`A payment is disputed, or a dispute has ended`,
  'webhook.test': msg`Test event`,
};
