import type { Permission } from '#server/services/organizations/rules.ts';

export interface MembershipsTable {
  organization_id: string;
  user_id: string;
  permission: Permission;
  created_at: number;
}
