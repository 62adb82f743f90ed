declare module "virtual:operations" {
  /** By name: method, path, scope or "", and what it takes: 0 nothing more, 1 a body, 2 a query. Made from docs/openapi.json. */
  const table: Record<string, [string, string, string, 0 | 1 | 2]>;
  export default table;
}
