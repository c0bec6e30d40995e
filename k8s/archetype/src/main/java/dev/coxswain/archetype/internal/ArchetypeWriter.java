// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.archetype.internal;

import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Writes the template as the resources of an archetype, of which {@code META-INF/maven/archetype-metadata.xml}
 * is the descriptor. The build runs it.
 *
 * <p>The archetype plugin passes each file through Velocity, which leaves references alone that it does not
 * know, such as those to Maven's properties in {@code pom.xml}.
 */
final class ArchetypeWriter {

  private static final String PACKAGE = "${package}";
  private static final String CLASS_NAME = "${className}";

  private ArchetypeWriter() {}

  static void main(String[] args) throws IOException {
    TemplateFiles.write(Path.of(args[0]), files());
  }

  /** Returns texts by paths. The plugin adds the folders of the package itself. */
  static Map<String, String> files() {
    Map<String, String> files = new LinkedHashMap<>();
    new ProjectTemplate(
            "${groupId}", "${artifactId}", "${version}", PACKAGE, CLASS_NAME, false, false)
        .files()
        .forEach((path, text) ->
            files.put(path.replace(PACKAGE + "/", "").replace(CLASS_NAME, "__className__"), text));
    return files;
  }
}
