/** Whether this Node unpacks Zstandard and notices where data is missing: Node 22 unpacks it, and does not notice. */
export const hasZstd = Number.parseInt(process.versions.node, 10) >= 24;
