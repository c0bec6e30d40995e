// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev;

import com.google.gson.JsonObject;
import dev.coxswain.authoring.crd.CrdYaml;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.host.internal.dev.author.AuthorClasses;
import dev.coxswain.host.internal.dev.author.CrdCommand;
import dev.coxswain.host.internal.dev.dist.KeptFiles;
import dev.coxswain.host.internal.lifecycle.HostException;
import java.io.IOException;
import java.lang.reflect.Modifier;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * Makes a folder of classes of one source file: compiles it against the jars of this process, names its controllers for the
 * service loader, and adds the definitions of its custom resources.
 *
 * <p>Thread rule: any thread, which is blocked for about a second.
 */
final class FileCompiler {

  private static final String CLASS = ".class";
  private static final int SHOWN = 5;

  private FileCompiler() {}

  /**
   * Compiles a file into a folder, whose former content is deleted.
   *
   * @throws HostException with the first errors of the compiler, or when there is no controller
   */
  static void compile(Path source, Path classes) throws IOException, HostException {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    if (compiler == null) {
      throw new HostException("a source file needs a JDK; COXSWAIN_JAVA_HOME names a Java without");
    }
    KeptFiles.delete(classes);
    Files.createDirectories(classes);
    DiagnosticCollector<JavaFileObject> found = new DiagnosticCollector<>();
    List<String> options =
        List.of(
            "-d",
            classes.toString(),
            "-cp",
            System.getProperty("java.class.path"),
            "-proc:none",
            "-parameters",
            "-Xlint:none");
    try (StandardJavaFileManager files =
        compiler.getStandardFileManager(found, Locale.ENGLISH, StandardCharsets.UTF_8)) {
      boolean compiled =
          compiler
              .getTask(null, files, found, options, null, List.of(SourceText.of(source)))
              .call();
      if (!compiled) {
        throw new HostException(errors(source, found.getDiagnostics()));
      }
    }
    try (AuthorClasses made = AuthorClasses.of(List.of(classes))) {
      name(source, classes, made);
      Path manifests = classes.resolve(Manifests.FOLDER).resolve("types");
      for (JsonObject definition : made.customResources()) {
        List<String> refused = CrdCommand.refusals(definition);
        if (!refused.isEmpty()) {
          throw new HostException(String.join("\n", refused));
        }
        Files.createDirectories(manifests);
        Files.writeString(
            manifests.resolve("crd-" + CrdCommand.plural(definition) + ".yaml"),
            CrdYaml.write(definition));
      }
    } catch (IllegalArgumentException e) {
      throw new HostException(String.valueOf(e.getMessage()), e);
    }
  }

  /** The text of a source file. A first line for the shell ({@code #!}) is a comment to the compiler. */
  private static final class SourceText extends SimpleJavaFileObject {
    private final String text;

    private SourceText(Path source, String text) {
      super(source.toUri(), Kind.SOURCE);
      this.text = text;
    }

    static SourceText of(Path source) throws IOException, HostException {
      try {
        String text = Files.readString(source);
        return new SourceText(source, text.startsWith("#!") ? "//" + text.substring(2) : text);
      } catch (CharacterCodingException e) {
        throw new HostException(source.getFileName() + " is not UTF-8 text", e);
      }
    }

    @Override
    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
      return text;
    }
  }

  private static String errors(
      Path source, List<Diagnostic<? extends JavaFileObject>> diagnostics) {
    List<Diagnostic<? extends JavaFileObject>> errors =
        diagnostics.stream().filter(one -> one.getKind() == Diagnostic.Kind.ERROR).toList();
    List<String> lines = new ArrayList<>();
    for (Diagnostic<? extends JavaFileObject> error :
        errors.subList(0, Math.min(SHOWN, errors.size()))) {
      lines.add(
          "%s%s: %s"
              .formatted(
                  source.getFileName(),
                  error.getLineNumber() == Diagnostic.NOPOS ? "" : ":" + error.getLineNumber(),
                  error.getMessage(Locale.ENGLISH)));
    }
    if (errors.size() > SHOWN) {
      lines.add("and " + (errors.size() - SHOWN) + " more errors");
    }
    return String.join("\n", lines);
  }

  /** Writes the service file: all classes of the file that a service loader can create. */
  private static void name(Path source, Path classes, AuthorClasses made)
      throws IOException, HostException {
    List<String> names = new ArrayList<>();
    try (Stream<Path> files = Files.walk(classes)) {
      for (Path file : files.filter(one -> one.toString().endsWith(CLASS)).sorted().toList()) {
        String path = classes.relativize(file).toString();
        String name = path.substring(0, path.length() - CLASS.length()).replace('/', '.');
        Class<?> type = Class.forName(name, false, made.loader());
        if (ControllerDefinition.class.isAssignableFrom(type) && canBeCreated(type)) {
          names.add(name);
        }
      }
    } catch (ReflectiveOperationException | LinkageError e) {
      throw new HostException("the classes of %s cannot be loaded: %s".formatted(source, e), e);
    }
    if (names.isEmpty()) {
      throw new HostException(
          "%s has no controller: a public class that extends SimpleController or implements ControllerDefinition, with a public constructor without arguments"
              .formatted(source.getFileName()));
    }
    Path services = classes.resolve(PluginSource.SERVICES);
    Files.createDirectories(services.getParent());
    Files.write(services, names);
  }

  private static boolean canBeCreated(Class<?> type) {
    boolean nested = type.getEnclosingClass() != null && !Modifier.isStatic(type.getModifiers());
    return Modifier.isPublic(type.getModifiers())
        && !Modifier.isAbstract(type.getModifiers())
        && !nested
        && Stream.of(type.getConstructors()).anyMatch(one -> one.getParameterCount() == 0);
  }
}
