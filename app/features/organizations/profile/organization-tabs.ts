/**
 * The tabs of an organization's page for members; the first one is shown without a parameter in the address.
 */
export const ORGANIZATION_TABS = ['about', 'members', 'invitations'] as const;
export type OrganizationTab = (typeof ORGANIZATION_TABS)[number];

/** Parses the search parameter `tab`; an unknown tab counts as absent. */
export function tabParam(value: unknown): OrganizationTab | undefined {
  return ORGANIZATION_TABS.find((tab) => tab === value);
}
