/** The part of the product's logger that the edge uses. */
export interface EdgeLogger {
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}
