/** What the parameters of addresses mean, by their names. In a query, a name may have a meaning of its own. */
const WORDS: Record<string, string> = {
  actor_id: 'Only what this person, credential or operator did.',
  actor_kind: 'Only what people, credentials, operators or jobs did.',
  bucket_id: 'The bucket.',
  'query bucket_id': 'Only this bucket.',
  buckets_max: 'The most buckets that are listed, those with most byte-hours first; all by default.',
  bundle_id: 'The certificate bundle: `bundle.id` of an endpoint.',
  cdn_endpoint_id: 'Only this endpoint.',
  code: 'The `code` of a failure.',
  credential_id: 'The credential, not its public key.',
  cursor:
    'Which page: from the `Link` header, or `next_cursor`, of the page before. The first one by default.',
  end_date: 'The last day of a custom range (UTC), included; today by default.',
  endpoint_id: 'The CDN endpoint.',
  file: 'The release of the command line with `.tgz`.',
  granularity: 'Whether each row is a day or an hour.',
  headers: 'The names of the request’s own headers, separated by commas.',
  invitation_id: 'The invitation.',
  invoice_id: 'The invoice.',
  keep_days: 'For how many days versions would be kept, however many there are.',
  keep_versions: 'How many of the newest versions would be kept, however old they are.',
  language: 'The language of the file; by default that of the billing customer.',
  limit: 'The most items that are returned at once.',
  limit_id: 'The spending limit.',
  message: 'What is new in this version.',
  message_id: 'The event that was sent: `id` in the log of the webhook.',
  method: 'The method of the request that a script would make.',
  origin: 'The origin of the page with the script, such as `https://example.ca`.',
  payment_method_id: 'The card.',
  period: 'A range that ends today; `custom` is the range of the dates.',
  publish: 'Whether the version becomes the live one; otherwise it is a preview.',
  publisher_id: 'The trusted repository.',
  resource_id: 'Only what was done to this resource.',
  resources_max: 'The most endpoints and sites that are listed, those with most bytes first; all by default.',
  search: 'Only items whose name contains this text; of members, also the user name.',
  session_id: 'The session.',
  sha256: 'The SHA-256 of the content, in hexadecimal digits.',
  site_id: 'The site: its id, or the name in its address.',
  'query site_id': 'Only this site, by its id.',
  sort: 'By name, or the latest deploys first.',
  source: 'Where the deploy comes from, such as `cli`.',
  start_date: 'The first day of a custom range (UTC), included.',
  status: 'Only events in this state.',
  subject: 'Only what was done to resources of this kind.',
  token: 'The token in the link.',
  upload_id: 'The unfinished upload.',
  user_id: 'The member.',
  v: 'Changes with the picture, so that browsers do not show an earlier one; its value is not read.',
  version_id: 'The version: its id or its number.',
  webhook_id: 'The webhook.',
};

/**
 * Returns the description of a parameter.
 * @throws for one that {@link WORDS} does not describe
 */
export function describeParameter(name: string, place: 'path' | 'query'): string {
  const words = WORDS[`${place} ${name}`] ?? (Object.hasOwn(WORDS, name) ? WORDS[name] : undefined);
  if (words === undefined) throw new Error(`the parameter ${name} of the API has no description`);
  return words;
}
