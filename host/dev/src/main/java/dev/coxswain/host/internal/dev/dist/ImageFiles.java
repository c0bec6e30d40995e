// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev.dist;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.ctl.internal.cli.Resources;
import dev.coxswain.host.internal.Version;
import dev.coxswain.host.internal.jvm.StallLimit;
import dev.coxswain.host.internal.lifecycle.HostException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The image: its layers, those first that change least, and its settings.
 *
 * <p>There is no shell and no package manager. Java itself is the entry point, with a file of
 * arguments.
 *
 * <p>Thread rule: one thread, which is blocked for up to minutes.
 */
public final class ImageFiles {

  /** The folder of everything but the C library. */
  public static final String APP_FOLDER = ImageRuntime.APP;

  static final String REPOSITORY = "coxswain";

  private static final String USER = "65532";
  private static final String OWN_JARS = "coxswain-";
  private static final String APP = ImageRuntime.APP.substring(1);
  private static final int SHARED_FOLDER = 01777;
  private static final ObjectMapper JSON = new ObjectMapper();

  private final SourceTree tree;
  private final ImageRuntime runtime;
  private final SystemLibrary library;

  private ImageFiles(SourceTree tree, ImageRuntime runtime, SystemLibrary library) {
    this.tree = tree;
    this.runtime = runtime;
    this.library = library;
  }

  /**
   * Makes all files and adds what is not in the jars to the bill of materials.
   *
   * @param startCache whether the image has a start cache
   */
  public static ImageFiles make(SourceTree tree, Sbom sbom, boolean startCache)
      throws IOException, HostException {
    ImageRuntime runtime = new ImageRuntime(tree, startCache);
    runtime.make();
    SystemLibrary library = SystemLibrary.of(runtime.jre(), tree.limit());
    sbom.add("library", "glibc", library.version(), "LGPL-2.1-or-later");
    sbom.add(
        "platform",
        javaRelease("IMPLEMENTOR", "OpenJDK"),
        javaRelease("JAVA_RUNTIME_VERSION", Runtime.version().toString()),
        "GPL-2.0-with-classpath-exception");
    return new ImageFiles(tree, runtime, library);
  }

  /** Writes the layers that have changed, and returns all in their order. */
  public List<ImageLayer> layers(Sbom sbom) throws IOException, HostException {
    Path folder = tree.image().resolve("layers");
    List<TarEntry> third = new ArrayList<>(List.of(TarEntry.folder(APP), TarEntry.folder(lib())));
    List<TarEntry> own = new ArrayList<>(third);
    for (Path jar : runtime.jars()) {
      String name = jar.getFileName().toString();
      (name.startsWith(OWN_JARS) ? own : third).add(TarEntry.file(lib() + "/" + name, jar));
    }
    own.add(TarEntry.link(APP + ImageRuntime.CONTROLLERS, "../controllers"));
    if (runtime.hasCache()) {
      own.add(TarEntry.file(APP + "/start.aot", runtime.cache()));
    }
    own.add(TarEntry.text(APP + "/run.options", runtime.options()));
    own.add(TarEntry.text(APP + "/ctl.options", runtime.ctlOptions()));
    List<TarEntry> rest = new ArrayList<>(List.of(TarEntry.folder(APP)));
    for (String name : List.of("/conf", "/controllers", "/licenses")) {
      rest.add(TarEntry.folder(APP + name));
    }
    rest.add(
        TarEntry.text(APP + "/conf/coxswain.yaml", Resources.text(Version.class, "defaults.yaml")));
    rest.addAll(ArchiveFiles.legal(tree, sbom, APP));
    List<TarEntry> java = new ArrayList<>(List.of(TarEntry.folder(APP)));
    java.addAll(TarEntry.tree(APP + "/jre", runtime.jre()));
    return List.of(
        ImageLayer.write(folder, "system", system()),
        ImageLayer.write(folder, "java", java),
        ImageLayer.write(folder, "libraries", third),
        ImageLayer.write(folder, "coxswain", own),
        ImageLayer.write(folder, "conf", rest));
  }

  private static String lib() {
    return APP + "/lib";
  }

  /** Returns the C library, the user, and the places where a container engine mounts something. */
  private List<TarEntry> system() throws IOException {
    List<TarEntry> entries = new ArrayList<>(library.entries());
    for (String name : List.of("dev", "etc", "proc", "sys", "usr", "usr/share", "usr/share/doc")) {
      entries.add(TarEntry.folder(name));
    }
    entries.add(TarEntry.folder("tmp", SHARED_FOLDER));
    entries.add(
        TarEntry.text(
            "etc/passwd",
            "root:x:0:0:root:/:/nonexistent\ncoxswain:x:%s:%s::/:/nonexistent\n"
                .formatted(USER, USER)));
    entries.add(TarEntry.text("etc/group", "root:x:0:\ncoxswain:x:%s:\n".formatted(USER)));
    entries.add(TarEntry.text("etc/nsswitch.conf", "hosts: files dns\n"));
    for (String text :
        List.of("/usr/share/doc/libc6/copyright", "/usr/share/licenses/glibc/LICENSES")) {
      if (Files.isReadable(Path.of(text))) {
        entries.add(TarEntry.folder("usr/share/doc/libc6"));
        entries.add(TarEntry.file("usr/share/doc/libc6/copyright", Path.of(text)));
        break;
      }
    }
    return entries;
  }

  /** Returns user, environment, entry point and labels. */
  public ObjectNode settings(String version) throws IOException {
    ObjectNode settings = JSON.createObjectNode().put("User", USER + ":" + USER);
    settings
        .putArray("Env")
        .add("PATH=" + ImageRuntime.APP + "/jre/bin")
        .add("JAVA_HOME=" + ImageRuntime.APP + "/jre")
        .add("LANG=C.UTF-8");
    settings
        .putArray("Entrypoint")
        .add(ImageRuntime.APP + "/jre/bin/java")
        .add("@" + ImageRuntime.APP + "/run.options");
    settings.putArray("Cmd").add("run");
    settings.put("WorkingDir", "/").put("StopSignal", "SIGTERM");
    ObjectNode labels = settings.putObject("Labels");
    labels.put("dev.coxswain.java", javaRelease("JAVA_RUNTIME_VERSION", ""));
    labels.put("dev.coxswain.libc", library.version());
    String oci = "org.opencontainers.image.";
    labels.put(oci + "created", tree.time().toString());
    labels.put(oci + "description", "Runs many Kubernetes controllers in one process");
    labels.put(oci + "licenses", "Apache-2.0");
    labels.put(oci + "revision", tree.revision());
    labels.put(oci + "title", "coxswain");
    labels.put(oci + "version", version);
    return settings;
  }

  /** Returns a value of the file in which a JDK describes itself. */
  static String javaRelease(String key, String otherwise) throws IOException {
    Properties release = new Properties();
    try (var in = Files.newInputStream(Path.of(System.getProperty("java.home"), "release"))) {
      release.load(in);
    }
    return release.getProperty(key, otherwise).replace("\"", "");
  }

  /**
   * The C library of this machine, as far as a Java run-time image needs it: its loader and the
   * libraries that {@code ldd} finds, at their paths, because the loader searches there.
   *
   * @param version the version, with that of the package, such as {@code Debian GLIBC 2.36-9+deb12u14}
   * @param files the libraries
   */
  private record SystemLibrary(String version, Set<Path> files) {

    private static final Pattern FOUND = Pattern.compile("(?m)(?:=> |^\\s*)(/\\S+) \\(0x");
    private static final Pattern MISSING = Pattern.compile("(?m)^\\s*(\\S+) => not found");
    private static final Pattern VERSION = Pattern.compile("^ldd \\((.+)\\) (\\S+)");

    /** Loaded by name for names of hosts; parts of libc itself since 2.34. */
    private static final List<String> BY_NAME =
        List.of("libnss_files.so.2", "libnss_dns.so.2", "libresolv.so.2");

    /**
     * Finds the libraries of a run-time image.
     *
     * @param limit how long {@code ldd} may do nothing
     */
    static SystemLibrary of(Path runtime, StallLimit limit) throws IOException, HostException {
      List<String> command = new ArrayList<>(List.of("ldd"));
      Set<String> own = new TreeSet<>();
      try (Stream<Path> files = Files.walk(runtime)) {
        for (Path file : files.sorted().toList()) {
          if (file.toString().endsWith(".so") || file.endsWith("bin/java")) {
            command.add(file.toString());
            own.add(file.getFileName().toString());
          }
        }
      }
      String output = Program.output(limit, command);
      Matcher missing = MISSING.matcher(output);
      while (missing.find()) {
        if (!own.contains(missing.group(1))) { // Java has loaded its own before they are needed
          throw new HostException(missing.group(1) + " is not installed, and Java needs it");
        }
      }
      Set<Path> libraries = new TreeSet<>();
      Matcher found = FOUND.matcher(output);
      while (found.find()) {
        Path library = Path.of(found.group(1)).normalize();
        if (!library.startsWith(runtime)) {
          libraries.add(library);
        }
      }
      for (Path library : List.copyOf(libraries)) {
        if (library.endsWith("libc.so.6")) {
          BY_NAME.stream()
              .map(library::resolveSibling)
              .filter(Files::exists)
              .forEach(libraries::add);
        }
      }
      return new SystemLibrary(version(Program.output(limit, "ldd", "--version")), libraries);
    }

    private static String version(String output) {
      Matcher version = VERSION.matcher(output);
      if (!version.find()) {
        return output.lines().findFirst().orElse("");
      }
      String text = version.group(1);
      return text.contains(version.group(2)) ? text : text + " " + version.group(2);
    }

    /** Returns the libraries, their folders, and the texts of their license where it is installed. */
    List<TarEntry> entries() throws IOException {
      List<TarEntry> entries = new ArrayList<>();
      Set<Path> folders = new TreeSet<>();
      for (Path file : files) {
        for (Path folder = file.getParent();
            folder != null && folder.getNameCount() > 0;
            folder = folder.getParent()) {
          folders.add(folder);
        }
        entries.add(TarEntry.program(file.toString().substring(1), file.toRealPath()));
      }
      folders.forEach(folder -> entries.add(TarEntry.folder(folder.toString().substring(1))));
      return entries;
    }
  }
}
