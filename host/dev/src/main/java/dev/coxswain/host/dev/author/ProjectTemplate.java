// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.dev.author;

import dev.coxswain.ctl.cli.Resources;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The project of {@code examples/plugin}, with other names. It is packaged with this class.
 *
 * <p>Thread rule: immutable; {@link #write} blocks.
 *
 * @param name the name of the project and of its controller: a DNS label
 * @param javaPackage the package of its classes
 */
record ProjectTemplate(String name, String javaPackage) {

  private static final List<String> FILES =
      List.of(
          "README.md",
          "pom.xml",
          "gitignore",
          "src/main/java/hello/Greeter.java",
          "src/main/java/hello/package-info.java",
          "src/main/resources/META-INF/services/dev.coxswain.controller.ControllerDefinition",
          "src/test/java/hello/GreeterTest.java",
          "src/test/java/hello/package-info.java");

  /** Returns {@code order-sync} as {@code OrderSync}. */
  String className() {
    return Arrays.stream(name.split("-", -1))
        .filter(word -> !word.isEmpty())
        .map(word -> Character.toUpperCase(word.charAt(0)) + word.substring(1))
        .collect(Collectors.joining());
  }

  /** Writes all files below a folder, and returns their paths in it. */
  List<Path> write(Path folder) throws IOException {
    Map<String, String> files = new LinkedHashMap<>();
    for (String file : FILES) {
      files.put(named(file), replaced(Resources.text(ProjectTemplate.class, "template/" + file)));
    }
    for (Map.Entry<String, String> file : files.entrySet()) {
      Path path = folder.resolve(file.getKey());
      Files.createDirectories(path.toAbsolutePath().getParent());
      Files.writeString(path, file.getValue());
    }
    return files.keySet().stream().map(Path::of).toList();
  }

  private String named(String file) {
    return file.replace("java/hello/", "java/" + javaPackage.replace('.', '/') + "/")
        .replace("Greeter", className())
        .replace("gitignore", ".gitignore");
  }

  private String replaced(String text) {
    return text.replace("package hello;", "package " + javaPackage + ";")
        .replace("hello.Greeter", javaPackage + ".Greeter")
        .replace("<groupId>hello<", "<groupId>" + javaPackage + "<")
        .replace("/hello/Greeter", "/" + javaPackage.replace('.', '/') + "/Greeter")
        .replace("Greeter", className())
        .replace("greeter", name);
  }
}
