import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import type { DeliveryProblem } from '#server/services/webhooks/rules.ts';

/** Why an attempt to deliver an event failed, in words. */
export const ATTEMPT_WORDS: Record<DeliveryProblem, MessageDescriptor> = {
  name_unknown: msg`The hostname was not found`,
  address_refused: msg`The hostname points to an address that is not allowed`,
  connection_failed: msg`The connection failed`,
  certificate_refused: msg`The certificate of the receiver is not trusted`,
  timeout: msg`No answer within 10 seconds`,
  redirected: msg`The receiver redirects; redirects are not followed`,
  status: msg`The receiver refused it`,
  paused: msg`The webhook was paused before it was delivered`,
};
