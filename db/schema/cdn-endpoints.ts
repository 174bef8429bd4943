import type { Generated } from 'kysely';

export interface CdnEndpointsTable {
  id: string;
  organization_id: string;
  hostname: string;
  cname_target: string;
  origin_type: 'site' | 'redirect' | 'http';
  site_id: string | null;
  redirect_target: string | null;
  /** How long browsers remember to use only https. */
  hsts: Generated<'off' | 'day' | 'year'>;
  /** When a record that only this organization could set was first found; nothing is served before that. */
  proven_at: number | null;
  created_at: number;
  updated_at: number;
}
