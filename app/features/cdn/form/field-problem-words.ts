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
    characters: msg`A hostname can contain only letters, digits, hyphens and dots.`,
    label_empty: msg`There is one dot too many.`,
    label_long: msg`Each part between two dots can have at most 63 characters.`,
    long: msg`A hostname can have at most 253 characters.`,
    challenge_long: msg`A hostname can have at most 237 characters here, because the name of its challenge record is longer.`,
    hyphen: msg`No part of a hostname can begin or end with a hyphen.`,
    encoding: msg`One part is not a valid internationalized name.`,
    single_label: msg`Enter the whole name, such as www.example.ca.`,
    address: msg`Enter a name instead of an IP address.`,
    port: msg`Leave out the port.`,
    path: msg`Leave out the path: an endpoint serves the whole hostname.`,
    wildcard: msg`Add each hostname separately: wildcards are not supported.`,
    underscore: msg`The hostname of a website cannot contain an underscore.`,
    special_use: msg`Names with this ending never point to a server on the internet.`,
    public_suffix: msg`Anyone can register names under this one. Enter a name of your own.`,
  },
  site_id: { missing: msg`Choose a site.` },
  redirect_target: {
    missing: msg`Enter the address to redirect to.`,
    relative: msg`Begin the address with https:// or http://.`,
    host: msg`The host in this address is not a valid hostname.`,
    address: msg`Enter a hostname instead of an IP address.`,
    local: msg`This address points to the visitor’s own computer.`,
    credentials: msg`Leave out the user name and the password.`,
    long: msg`An address can have at most 2,048 characters.`,
  },
};

/** Returns the text for a field's problem; null for none, or for a problem that the console does not know. */
export function wordsOfProblem(field: EndpointField, problem: string | undefined): MessageDescriptor | null {
  const words: Record<string, MessageDescriptor> = FIELD_PROBLEM_WORDS[field];
  return problem !== undefined && Object.hasOwn(words, problem) ? (words[problem] ?? null) : null;
}

/**
 * Returns a more specific text for a refusal that names the problem of a field; null when its code says
 * everything.
 */
export function wordsOfRefusal(
  field: EndpointField,
  { code, params }: Pick<ErrorShape, 'code' | 'params'>,
): MessageDescriptor | null {
  const isNamed = code === 'hostname_invalid' || code === 'redirect_target_invalid';
  return isNamed && typeof params.problem === 'string' ? wordsOfProblem(field, params.problem) : null;
}
