// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.testing;

import java.io.BufferedOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.StandardLocation;
import javax.tools.ToolProvider;

/** Compiles the jars of plug-ins from source text. */
public final class PluginJars {

  private static final Pattern CLASS = Pattern.compile("(?:class|interface|record) (\\w+)");

  /** One for all, since it reads the table of contents of each jar of the class path once; under its lock. */
  private static final StandardJavaFileManager FILES = files();

  private final Path work;

  public PluginJars(Path work) {
    this.work = work;
  }

  private static StandardJavaFileManager files() {
    StandardJavaFileManager files =
        ToolProvider.getSystemJavaCompiler().getStandardFileManager(null, null, null);
    try {
      files.setLocationFromPaths(
          StandardLocation.CLASS_PATH,
          Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator, -1))
              .map(Path::of)
              .toList());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return files;
  }

  /** Returns the source of a definition of a controller that does nothing. */
  public static String definition(String type, String controller) {
    return definition(type, controller, "");
  }

  /** Returns the source of a definition with code before its controller is built. */
  public static String definition(String type, String controller, String code) {
    return """
    public class %s implements dev.coxswain.controller.ControllerDefinition {
      public String name() { return "%s"; }
      public dev.coxswain.controller.Controller<?> create(
          dev.coxswain.controller.ControllerEnvironment environment) throws Exception {
        %s
        return dev.coxswain.controller.Controller.named(name())
            .watches(environment.get(dev.coxswain.k8s.Kubernetes.class)
                .kind(io.kubernetes.client.openapi.models.V1ConfigMap.class).toSource())
            .reconciles((request, context) -> dev.coxswain.reconcile.Result.done());
      }
    }
    """
        .formatted(type, controller, code);
  }

  /**
   * Compiles sources and returns the class files by path.
   *
   * @param sources each with one class in the default package
   */
  public Map<String, byte[]> compile(String... sources) {
    try {
      Path classes = Files.createTempDirectory(work, "classes");
      List<JavaFileObject> units = new ArrayList<>();
      for (String source : sources) {
        Matcher name = CLASS.matcher(source);
        if (!name.find()) {
          throw new AssertionError("no class in " + source);
        }
        units.add(
            new SimpleJavaFileObject(
                URI.create("string:///" + name.group(1) + ".java"), JavaFileObject.Kind.SOURCE) {
              @Override
              public CharSequence getCharContent(boolean ignored) {
                return source;
              }
            });
      }
      StringWriter out = new StringWriter();
      synchronized (FILES) {
        FILES.setLocationFromPaths(StandardLocation.CLASS_OUTPUT, List.of(classes));
        boolean compiled =
            ToolProvider.getSystemJavaCompiler()
                .getTask(out, FILES, null, List.of("-proc:none"), null, units)
                .call();
        if (!compiled) {
          throw new AssertionError(out);
        }
      }
      Map<String, byte[]> found = new TreeMap<>();
      try (Stream<Path> all = Files.walk(classes)) {
        for (Path file : all.filter(Files::isRegularFile).toList()) {
          found.put(classes.relativize(file).toString(), Files.readAllBytes(file));
        }
      }
      return found;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the entries of a plug-in with these definitions, compiled from sources. */
  public Map<String, byte[]> plugin(List<String> definitions, String... sources) {
    Map<String, byte[]> entries = compile(sources);
    entries.put(
        "META-INF/services/" + "dev.coxswain.controller.ControllerDefinition",
        String.join("\n", definitions).getBytes(StandardCharsets.UTF_8));
    return entries;
  }

  /** Writes a jar, and moves it to its place at once. */
  public void write(Path jar, Map<String, byte[]> entries) {
    try {
      Path written = Files.createTempFile(work, "jar", ".part");
      try (OutputStream file = new BufferedOutputStream(Files.newOutputStream(written));
          JarOutputStream out = new JarOutputStream(file)) {
        for (Map.Entry<String, byte[]> entry : entries.entrySet()) {
          out.putNextEntry(new JarEntry(entry.getKey()));
          out.write(entry.getValue());
        }
      }
      Files.createDirectories(jar.getParent());
      Files.move(written, jar, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
