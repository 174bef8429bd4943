/**
 * Values created once per installation and shared by its nodes, sealed when secret: key sets, cookie keys,
 * key check.
 */
export interface InstallationValuesTable {
  name: string;
  value: string;
  created_at: number;
}
