// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.plugins;

import dev.coxswain.controller.ControllerDefinition;
import java.io.IOException;
import java.io.InputStream;
import java.net.MalformedURLException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLConnection;
import java.net.URLStreamHandler;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The classes and resources of one plug-in. Those of the API, which plug-in and host exchange, come
 * from the host; of all others the plug-in's own come first. It needs no closing: its contents are in
 * memory.
 *
 * <p>Thread rule: any thread.
 */
final class PluginClassLoader extends ClassLoader {

  /** The packages whose classes are shared with the host, even if the plug-in contains them. */
  private static final List<String> SHARED =
      List.of(
          "java.",
          "javax.",
          "jdk.",
          "sun.",
          "com.sun.",
          "dev.coxswain.",
          "io.vertx.",
          "io.netty.",
          "io.kubernetes.",
          "com.google.gson.",
          "io.micrometer.core.",
          "io.micrometer.common.",
          "org.slf4j.",
          "org.jspecify.");

  private static final String SERVICE = "META-INF/services/" + ControllerDefinition.class.getName();

  static {
    registerAsParallelCapable();
  }

  private final PluginContents contents;

  PluginClassLoader(String name, PluginContents contents, ClassLoader host) {
    super("plugin-" + name, host);
    this.contents = contents;
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    synchronized (getClassLoadingLock(name)) {
      Class<?> loaded = findLoadedClass(name);
      if (loaded == null) {
        loaded = isShared(name) || !has(name) ? super.loadClass(name, false) : findClass(name);
      }
      if (resolve) {
        resolveClass(loaded);
      }
      return loaded;
    }
  }

  private static boolean isShared(String name) {
    return SHARED.stream().anyMatch(name::startsWith);
  }

  private boolean has(String name) {
    return contents.entries().containsKey(path(name));
  }

  private static String path(String name) {
    return name.replace('.', '/').concat(".class");
  }

  @Override
  protected Class<?> findClass(String name) throws ClassNotFoundException {
    List<PluginEntry> found = contents.entries().get(path(name));
    if (found == null) {
      throw new ClassNotFoundException(name);
    }
    byte[] code;
    try {
      code = found.getFirst().bytes();
    } catch (IOException e) {
      throw new ClassNotFoundException(name, e);
    }
    return defineClass(name, code, 0, code.length);
  }

  @Override
  public @Nullable URL getResource(String name) {
    URL own = findResource(name);
    return own != null ? own : super.getResource(name);
  }

  @Override
  public Enumeration<URL> getResources(String name) throws IOException {
    List<URL> all = new ArrayList<>(Collections.list(findResources(name)));
    // The definitions of the class path are not those of the plug-in.
    if (!name.equals(SERVICE)) {
      all.addAll(Collections.list(getParent().getResources(name)));
    }
    return Collections.enumeration(all);
  }

  @Override
  protected @Nullable URL findResource(String name) {
    List<PluginEntry> found = contents.entries().get(name);
    return found == null ? null : url(name, 0, found.getFirst());
  }

  @Override
  protected Enumeration<URL> findResources(String name) {
    List<PluginEntry> found = contents.entries().getOrDefault(name, List.of());
    List<URL> urls = new ArrayList<>(found.size());
    for (int i = 0; i < found.size(); i++) {
      urls.add(url(name, i, found.get(i)));
    }
    return Collections.enumeration(urls);
  }

  private URL url(String path, int jar, PluginEntry content) {
    try {
      URI uri = new URI("plugin", null, "/" + getName() + "/" + jar + "/" + path, null);
      return URL.of(uri, new Handler(content));
    } catch (URISyntaxException | MalformedURLException e) {
      throw new IllegalStateException("a path is always valid after its encoding: " + path, e);
    }
  }

  private static final class Handler extends URLStreamHandler {
    private final PluginEntry content;

    Handler(PluginEntry content) {
      this.content = content;
    }

    @Override
    protected URLConnection openConnection(URL url) {
      return new Connection(url, content);
    }
  }

  private static final class Connection extends URLConnection {
    private final PluginEntry content;

    Connection(URL url, PluginEntry content) {
      super(url);
      this.content = content;
    }

    @Override
    public void connect() {
      connected = true;
    }

    @Override
    public long getContentLengthLong() {
      return content.size();
    }

    @Override
    public InputStream getInputStream() {
      return content.open();
    }
  }
}
