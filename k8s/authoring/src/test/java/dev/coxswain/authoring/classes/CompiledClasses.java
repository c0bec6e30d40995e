// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.authoring.classes;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubernetes.client.common.KubernetesObject;
import java.io.StringWriter;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** Classes from source text, compiled by javac with all warnings as errors. */
final class CompiledClasses {

  private final ClassLoader loader;

  private CompiledClasses(ClassLoader loader) {
    this.loader = loader;
  }

  /** Compiles sources by the names of their classes. */
  static CompiledClasses of(Path folder, Map<String, String> sources) throws Exception {
    List<Path> paths = new ArrayList<>();
    for (Map.Entry<String, String> one : sources.entrySet()) {
      Path file = folder.resolve(one.getKey().replace('.', '/') + ".java");
      Files.createDirectories(file.getParent());
      paths.add(Files.writeString(file, one.getValue()));
    }
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    StringWriter messages = new StringWriter();
    List<String> options =
        List.of("-Xlint:all,-classfile", "-Werror", "-proc:none", "-d", folder.toString());
    try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
      boolean done =
          compiler
              .getTask(
                  messages, files, null, options, null, files.getJavaFileObjectsFromPaths(paths))
              .call();
      assertThat(done).as("%s", messages).isTrue();
    }
    URL[] urls = {folder.toUri().toURL()};
    return new CompiledClasses(new URLClassLoader(urls, CompiledClasses.class.getClassLoader()));
  }

  Class<? extends KubernetesObject> get(String name) throws ClassNotFoundException {
    return Class.forName(name, true, loader).asSubclass(KubernetesObject.class);
  }
}
