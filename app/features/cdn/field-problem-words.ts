import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import type { ErrorShape } from '#server/error-codes.ts';
import type { EndpointField, FieldProblems } from './endpoint-form-errors.ts';

/** What is wrong with a field of an endpoint's form and what to do about it. Exhaustive by type. */
const FIELD_PROBLEM_WORDS: {
  [Field in EndpointField]: Record<FieldProblems[Field], MessageDescriptor>;
} = {
  hostname: {
    empty: msg`Enter a hostname.`,
    characters: msg`A hostname holds only letters, digits, hyphens and dots.`,
    label_empty: msg`There is a dot too many.`,
    label_long: msg`The part between two dots has at most 63 characters.`,
    long: msg`A hostname has at most 253 characters.`,
    challenge_long: msg`A hostname has at most 237 characters here, since the name of its challenge record is longer.`,
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
  },
  site_id: { missing: msg`Choose a site.` },
  redirect_target: {
    missing: msg`Enter the address to redirect to.`,
    relative: msg`Begin the address with https:// or http://.`,
    host: msg`The host of this address is no hostname.`,
    address: msg`Enter a hostname instead of an IP address.`,
    local: msg`This address leads to the visitor’s own machine.`,
    credentials: msg`Leave the user name and the password out.`,
    long: msg`An address has at most 2,048 characters.`,
  },
};

/** Returns the words for what is wrong with a field; null for nothing, or for a problem that the console does not know. */
export function wordsOfProblem(field: EndpointField, problem: string | undefined): MessageDescriptor | null {
  const words: Record<string, MessageDescriptor> = FIELD_PROBLEM_WORDS[field];
  return problem !== undefined && Object.hasOwn(words, problem) ? (words[problem] ?? null) : null;
}

/** Returns closer words for a refusal of the server that names the problem of a field; null when its code says it all. */
export function wordsOfRefusal(
  field: EndpointField,
  { code, params }: Pick<ErrorShape, 'code' | 'params'>,
): MessageDescriptor | null {
  const isNamed = code === 'hostname_invalid' || code === 'redirect_target_invalid';
  return isNamed && typeof params.problem === 'string' ? wordsOfProblem(field, params.problem) : null;
}
