import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import type { RuleProblemCode } from '#server/edge/rules/rule-problem.ts';

/**
 * The console's texts for problems in `_redirects` and `_headers`, exhaustive by type. The line itself is
 * shown next to them, so they need no values.
 */
const RULE_PROBLEM_MESSAGES: Record<RuleProblemCode, MessageDescriptor> = {
  file_too_long: msg`The file is too long; this line and the rest are ignored.`,
  too_many_lines: msg`The file has too many lines; this line and the rest are ignored.`,
  line_too_long: msg`The line is too long.`,
  target_missing: msg`A redirect needs two parts: the path it applies to and its target.`,
  too_many_parts: msg`A redirect has at most three parts: from, to and status.`,
  condition_unsupported: msg`Conditions and query parameters are not supported.`,
  from_not_path: msg`The first part must be a path that starts with a single “/”.`,
  path_unsafe: msg`The path contains something that is not allowed in an address: “..”, “//”, a backslash, a control character or a malformed “%”.`,
  path_has_query: msg`A path to match cannot contain “?” or “#”.`,
  several_splats: msg`Only one “*” is allowed.`,
  too_many_placeholders: msg`The path contains too many placeholders.`,
  target_refused: msg`The target must be a path that starts with a single “/”, or an http(s) address.`,
  target_credentials: msg`The target must not contain a user name or a password.`,
  target_too_long: msg`Once filled in, the target is too long.`,
  placeholder_in_host: msg`The host of a target must be fixed: placeholders are allowed only in its path and query.`,
  placeholder_unknown: msg`The target uses a placeholder that the first part does not define.`,
  rewrite_outside_site: msg`This status serves a file of this site, so the target must be a path.`,
  status_unsupported: msg`The status must be 200, 301, 302, 303, 307, 308 or 404, with an optional “!”.`,
  rule_loops: msg`The redirect points to itself.`,
  rule_shadowed: msg`An earlier line already applies to this path.`,
  too_many_static_rules: msg`There are too many rules for fixed paths; the rest is ignored.`,
  too_many_dynamic_rules: msg`There are too many rules with “*” or “:name”; the rest is ignored.`,
  header_before_path: msg`A header must come below the path it applies to.`,
  header_syntax: msg`A header is written “Name: value”, or “! Name” to remove one.`,
  header_name_invalid: msg`This is not a header name.`,
  header_value_invalid: msg`The value contains characters that are not allowed in a header.`,
  header_refused: msg`This header is set by the platform and cannot be changed.`,
  too_many_headers: msg`For some paths of this rule, too many lines apply at once; this one is ignored.`,
  headers_too_long: msg`For some paths of this rule, the headers are too long in total; this one is ignored.`,
  rule_without_headers: msg`There is no header below this path.`,
};

/** Returns the text of a code, or null for one that this console does not know yet. */
export function ruleProblemMessage(code: string): MessageDescriptor | null {
  return isKnown(code) ? RULE_PROBLEM_MESSAGES[code] : null;
}

function isKnown(code: string): code is RuleProblemCode {
  return Object.hasOwn(RULE_PROBLEM_MESSAGES, code);
}
