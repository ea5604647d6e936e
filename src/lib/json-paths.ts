/** Lists the paths of an object's leaves, which are its column names: `company.name`, `tags.0`. */

/** Maximum number of paths. */
const MAX_PATHS = 5000;

/** Maximum number of keys in a path. Parts between dots count too, because a key can contain dots. */
const MAX_PARTS = 32;

/** Adds the paths in order. An empty object or array adds none. */
export function addPaths(content: object, paths: Set<string>, prefix = '', depth = 1): void {
  for (const [key, value] of Object.entries(content)) {
    if (paths.size >= MAX_PATHS) return;
    const path = prefix + key;
    if (typeof value !== 'object' || value === null) {
      if (path.split('.', MAX_PARTS + 1).length <= MAX_PARTS) paths.add(path);
    } else if (depth < MAX_PARTS) addPaths(value, paths, `${path}.`, depth + 1);
  }
}
