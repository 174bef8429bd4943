/** How many credentials are read at a time. A file of its own, because the route is part of the first page. */
export const CREDENTIALS_AT_ONCE = 25;
