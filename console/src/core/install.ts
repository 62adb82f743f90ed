// How to install the libraries, as docs/libraries.md says.
interface Install {
  command: string;
  /** What to do until the library is published. */
  until: string;
}

export const INSTALL: Record<"TypeScript" | "Python", Install> = {
  TypeScript: {
    command: "npm install @messaging-api/client",
    until: "The library is not published yet: python3 -m tools.ci.typescript, in the repository of this project, makes a tarball in target/typescript. Install that file.",
  },
  Python: {
    command: "pip install messaging-api",
    until: "The library is not published yet: python3 -m tools.ci.python_library, in the repository of this project, makes a wheel in target/python/dist. Install that file.",
  },
};
