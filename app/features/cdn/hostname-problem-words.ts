import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import type { HostnameProblem } from '#server/services/cdn/hostname-rules.ts';
import type { RedirectProblem } from '#server/services/cdn/redirect-rules.ts';

/** What is wrong with a hostname and what to do about it. Exhaustive by type. */
export const HOSTNAME_PROBLEM_WORDS: Record<HostnameProblem, MessageDescriptor> = {
  empty: msg`Enter a hostname.`,
  characters: msg`A hostname holds only letters, digits, hyphens and dots.`,
  label_empty: msg`There is a dot too many.`,
  label_long: msg`The part between two dots has at most 63 characters.`,
  long: msg`A hostname has at most 253 characters.`,
  hyphen: msg`No part of a hostname begins or ends with a hyphen.`,
  encoding: msg`One part is no valid international name.`,
  single_label: msg`Enter the whole name, such as www.example.ca.`,
  address: msg`Enter a name instead of an IP address.`,
  port: msg`Leave the port out.`,
  path: msg`Leave the path out: an endpoint answers for the whole hostname.`,
  wildcard: msg`Add each hostname by itself: there are no wildcards.`,
  underscore: msg`A hostname of a website has no underscore.`,
  special_use: msg`Names with this ending never lead to a server on the Internet.`,
  public_suffix: msg`Everybody can register names below this one. Enter a name of your own.`,
};

/** What is wrong with the address of a redirect. Exhaustive by type. */
export const REDIRECT_PROBLEM_WORDS: Record<RedirectProblem, MessageDescriptor> = {
  relative: msg`Begin the address with https:// or http://.`,
  host: msg`The host of this address is no hostname.`,
  address: msg`Enter a host name instead of an IP address.`,
  local: msg`This address leads to the visitor’s own machine.`,
  credentials: msg`Leave the user name and the password out.`,
  long: msg`An address has at most 2,048 characters.`,
};
