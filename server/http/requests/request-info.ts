/** Where a request came from and its id, decided once when it arrives. */
export interface RequestInfo {
  address: string;
  requestId: string;
}
