/** The manifest: one row per file of a version. */
export interface VersionFilesTable {
  version_id: string;
  path: string;
  sha256: string;
  size: number;
  content_type: string;
}
