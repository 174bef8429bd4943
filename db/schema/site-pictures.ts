/** What a site is recognised by: a picture of its front page, made by us, or its own icon. A row for each site that was ever live. */
export interface SitePicturesTable {
  site_id: string;
  organization_id: string;
  /** Since when a new one is wanted; null while the one that is there shows what is live. */
  wanted_at: number | null;
  /** The version it shows; null before the first one. */
  version_id: string | null;
  /** `page` or `icon`; null where there is nothing to show. */
  kind: 'page' | 'icon' | null;
  media_type: string | null;
  /** Base64: both engines keep text alike, and it is small. */
  content: string | null;
  made_at: number | null;
}
