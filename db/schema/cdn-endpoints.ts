export interface CdnEndpointsTable {
  id: string;
  organization_id: string;
  hostname: string;
  cname_target: string;
  origin_type: 'site' | 'redirect' | 'http';
  site_id: string | null;
  redirect_target: string | null;
  created_at: number;
  updated_at: number;
}
