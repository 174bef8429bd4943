/** A tenant: a personal workspace or a named organization. `external_id` is `personal-{n}` or `org-{n}`, never a name. */
export interface OrganizationsTable {
  id: string;
  external_id: string;
  name: string;
  description: string | null;
  website: string | null;
  location: string | null;
  avatar_url: string | null;
  /** JSON list of feature names, e.g. ["object_storage"]. */
  features: string;
  created_at: number;
  updated_at: number;
}
